module github.com/hookway/hookway

go 1.26
