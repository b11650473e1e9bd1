#!/bin/sh
# What an agent looks like to hookway: a program in a terminal that prints, and
# reads what is typed.
echo "agent: hello"
read -r greeting
echo "agent: I was told: $greeting"
echo "agent: I will release now"
echo "@deploy:staging Release v1.2.3"
read -r answer
echo "agent: the deployment says: $answer"
